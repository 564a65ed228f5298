/**
 * V8's option by which a regular expression that backtracks too often is left to its linear engine. What that cannot take
 * (look-around, back references, `i` and `u`, large counts) goes on; only the end of its process or worker ends it.
 *
 * It counts where it is set when V8 starts: set later (`v8.setFlagsFromString`) it does nothing.
 */
export const LINEAR_REGEX = "--enable-experimental-regexp-engine-on-excessive-backtracks";
