/**
 * Name of this compiler in every manifest (R337). Raise the number when the set of sections or their rendering changes:
 * test/prompt/golden_test.ts fails until that is done.
 */
export const COMPILER = "sandpiper-prompt/4";
