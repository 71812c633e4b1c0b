import { flagsOfProgram, offers, type Surface, takingValues } from "./surface.ts";

/** A script for Windows PowerShell 5.1 and PowerShell 7. */
export function powershellScript(surfaces: readonly Surface[]): string {
  const program = { name: "", flags: flagsOfProgram };
  return `# Completion of satyrn-engine for PowerShell: run it in your profile.

Register-ArgumentCompleter -Native -CommandName 'satyrn-engine', 'satyrn-engine.exe' -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)

  $commands = [ordered] @{
${surfaces.map(({ name, summary }) => `    ${quoted(name)} = ${quoted(summary)}`).join("\n")}
  }
  $flags = @{
${[program, ...surfaces].map(({ name, flags }) => `    ${quoted(name)} = [ordered] @{ ${flags.map(({ word, summary }) => `${quoted(word)} = ${quoted(summary)}`).join("; ")} }`).join("\n")}
  }
  $takingValues = ${takingValues(surfaces).map(quoted).join(", ")}
  $runningAnother = ${list(surfaces.filter((surface) => surface.runsAnother).map(({ name }) => name))}
  $offers = @{
${offers(surfaces)
  .map(({ at, offer }) => `    ${quoted(at)} = ${typeof offer === "string" ? quoted(offer) : list(offer)}`)
  .join("\n")}
  }

  function Complete([string] $text, [string] $tip, [string] $kind) {
    [System.Management.Automation.CompletionResult]::new($text, $text, $kind, $tip)
  }

  $current = [string] $wordToComplete
  $command = ''
  $flag = ''
  $place = 0
  $ended = $false
  $given = @()
  $before = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.Extent.Text })
  for ($at = 0; $at -lt $before.Count; $at++) {
    $word = $before[$at]
    if ($flag) {
      $flag = ''
    } elseif (-not $ended -and $word -ceq '--') {
      if ($runningAnother -ccontains $command) {
        if ($at -eq $before.Count - 1) {
          return [System.Management.Automation.CompletionCompleters]::CompleteCommand($current)
        }
        return [System.Management.Automation.CompletionCompleters]::CompleteFilename($current)
      }
      $ended = $true
    } elseif (-not $ended -and $word.StartsWith('-')) {
      $name = ($word -split '=', 2)[0]
      $given += $name
      if ($word -ceq $name -and $takingValues -ccontains "$command $word") { $flag = $word }
    } elseif (-not $command) {
      $command = $word
    } else {
      $place++
    }
  }

  if (-not $flag -and -not $ended -and $current.StartsWith('-')) {
    $known = if ($flags.ContainsKey($command)) { $flags[$command] } else { @{} }
    foreach ($name in $known.Keys) {
      if ($name.StartsWith($current) -and $given -cnotcontains $name) {
        Complete $name $known[$name] 'ParameterName'
      }
    }
    return
  }
  if (-not $command) {
    foreach ($name in $commands.Keys) {
      if ($name.StartsWith($current)) { Complete $name $commands[$name] 'Command' }
    }
    return
  }
  $key = if ($flag) { "$command $flag" } else { "$command $place" }
  $offer = $offers[$key]
  if ($offer -is [array]) {
    foreach ($value in $offer) {
      if ($value.StartsWith($current)) { Complete $value $value 'ParameterValue' }
    }
  } elseif ($offer) {
    [System.Management.Automation.CompletionCompleters]::CompleteFilename($current) |
      Where-Object { $offer -ceq 'file' -or $_.ResultType -eq 'ProviderContainer' }
  }
}
`;
}

function list(words: readonly string[]): string {
  return `@(${words.map(quoted).join(", ")})`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
