type Item = { price: number; count: number };

export function total(items: Item[] | null): number {
  let result = 0;
  for (const item of items!) result += lineTotal(item);
  return result;
}

function lineTotal(item: Item): number {
  return item.price.valueOf() * item.count;
}
