# Prints what PowerShell would offer at the end of each line of the file $Lines: a line for a candidate, a blank one
# after each.
param([string] $Script, [string] $Lines)
. $Script
foreach ($line in [IO.File]::ReadAllLines($Lines)) {
  foreach ($match in (TabExpansion2 -inputScript $line -cursorColumn $line.Length).CompletionMatches) {
    [Console]::Out.Write($match.CompletionText + "`n")
  }
  [Console]::Out.Write("`n")
}
