(()=>{function n(e){let r=0;for(let t of e)r+=o(t);return r}function o(e){return e.price.valueOf()*e.count}function u(e){let r=n(e.items);if(r<=0)throw new RangeError("The order "+e.id+" has no items");return r}window.placeOrder=u;})();
//# sourceMappingURL=shop.js.map
