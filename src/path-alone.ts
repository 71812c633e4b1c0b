/**
 * Windows looks for programs in the working directory first, unless this variable is there. It does not read the value
 * (NeedCurrentDirectoryForExePathW), which therefore can tell what the engine set for itself from what its caller set.
 */
export const pathAlone = { name: "NoDefaultCurrentDirectoryInExePath", value: "satyrn-engine" } as const;
