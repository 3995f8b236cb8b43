import { total } from "./cart";

interface Order { id: number; items: Array<{ price: number; count: number }> | null }

export function placeOrder(order: Order): number {
  const amount = total(order.items);
  if (amount <= 0) throw new RangeError("The order " + order.id + " has no items");
  return amount;
}

(window as any).placeOrder = placeOrder;
