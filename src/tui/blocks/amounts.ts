/** Milliseconds as people read them: `0.4s`, `12s`, `3m 05s`, `1h 02m`. */
export function duration(ms: number): string {
  if (ms < 10_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)}s`;
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${String(seconds % 60).padStart(2, "0")}s`;
  return `${Math.floor(minutes / 60)}h ${String(minutes % 60).padStart(2, "0")}m`;
}

/** A count in few characters: `950`, `1.2k`, `34k`, `1.2M`. */
export function count(amount: number): string {
  if (amount < 1000) return String(amount);
  if (amount < 9950) return `${(amount / 1000).toFixed(1)}k`;
  if (amount < 999_500) return `${Math.round(amount / 1000)}k`;
  return `${(amount / 1_000_000).toFixed(1)}M`;
}

/** USD, with as many places as say something. */
export function money(usd: number): string {
  return `$${usd < 1 ? usd.toFixed(3) : usd.toFixed(2)}`;
}

/** How long ago something was. */
export function ago(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} days ago`;
}
