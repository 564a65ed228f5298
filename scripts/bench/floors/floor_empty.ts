// The smallest program of the runtime: what starting anything at all costs.
console.log("ready");
