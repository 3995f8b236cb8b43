// Errors that the page's scripts throw and promises that nobody catches.

/** One page sends at most so many; a loop must not flood the box. */
const MOST = 30;

export default (core) => {
  let left = MOST;
  /** An address, or a text with addresses, without queries: they may hold what is nobody's business. */
  const bare = (text) => text && String(text).replace(/\?[^\s:)]*/g, "");

  return (event) => {
    const rejected = event.type == "unhandledrejection";
    // Pictures and scripts that do not load are errors too, of an element and without a message.
    if (!(rejected || (event.type == "error" && event.message)) || !left) return;
    const error = rejected ? event.reason : event.error;
    if (/-extension:/.test(event.filename + error?.stack)) return;
    left--;
    core.record("/errors", {
      timestamp: Math.round(Date.now() - performance.now() + event.timeStamp),
      message: String(error?.message ?? (rejected ? error : event.message)).slice(0, 2048),
      filename: bare(event.filename)?.slice(0, 512),
      lineno: event.lineno,
      colno: event.colno,
      stack: bare(error?.stack)?.slice(0, 4096),
      release: core.settings.release,
      errorType: String(error?.name ?? (rejected ? "UnhandledRejection" : "Error")).slice(0, 128),
    });
  };
};
