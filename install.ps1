# Installs satyrn-engine: fetches a release's archive, verifies its checksum, then places the executable.
#
#   install.ps1 -BaseUrl URL [-Version VERSION] [-Dir DIR]
#
# URL is the folder that holds the release's files, VERSION the release there: without it, or with "latest", the one
# that the folder's SHA256SUMS names. DIR is %LOCALAPPDATA%\Programs\satyrn-engine unless given.
param(
  [Parameter(Mandatory)] [Alias('base-url')] [string] $BaseUrl,
  [ValidatePattern('^[0-9A-Za-z.+-]+$')] [string] $Version = 'latest',
  [string] $Dir = "$env:LOCALAPPDATA\Programs\satyrn-engine"
)
$ErrorActionPreference = 'Stop'
# Its progress bar makes Invoke-WebRequest of Windows PowerShell many times slower.
$ProgressPreference = 'SilentlyContinue'
# Windows PowerShell may offer no more than TLS 1.0 by itself.
[Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12

function Get-ReleaseFile([string] $name) {
  $path = Join-Path $work $name
  try {
    Invoke-WebRequest -UseBasicParsing -Uri "$base/$name" -OutFile $path
  } catch {
    throw "install: $base/$name could not be fetched: $($_.Exception.Message)"
  }
  return $path
}

# PROCESSOR_ARCHITEW6432 is set where this PowerShell is of another kind than the system.
$processor = if ($env:PROCESSOR_ARCHITEW6432) { $env:PROCESSOR_ARCHITEW6432 } else { $env:PROCESSOR_ARCHITECTURE }
$target = if ($processor -eq 'ARM64') { 'windows-arm64' } else { 'windows-x64' }
$base = $BaseUrl.TrimEnd('/')
# The working directory of .NET is not that of PowerShell.
$place = $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($Dir)
$work = Join-Path ([IO.Path]::GetTempPath()) "satyrn-engine-$([Guid]::NewGuid())"
[IO.Directory]::CreateDirectory($work) | Out-Null
$staged = $null
try {
  $sums = @(Get-Content -LiteralPath (Get-ReleaseFile 'SHA256SUMS'))
  $wanted = $Version -creplace '^v'
  if ($wanted -ceq 'latest') {
    $pattern = "^[0-9a-f]{64}  satyrn-engine-([0-9A-Za-z.+-]+)-$target\.zip$"
    $found = @($sums | Where-Object { $_ -cmatch $pattern } | ForEach-Object { $_ -creplace $pattern, '$1' })
    if ($found.Count -ne 1) {
      throw "install: SHA256SUMS does not name exactly one archive for ${target}: give -Version"
    }
    $wanted = $found[0]
  }
  $name = "satyrn-engine-$wanted-$target"
  $line = @($sums | Where-Object { ($_ -split '  ', 2)[1] -ceq "$name.zip" })
  if ($line.Count -ne 1) { throw "install: SHA256SUMS does not name $name.zip" }
  $expected = ($line[0] -split '  ', 2)[0]
  $archive = Get-ReleaseFile "$name.zip"
  $digest = (Get-FileHash -Algorithm SHA256 -LiteralPath $archive).Hash.ToLowerInvariant()
  if ($digest -cne $expected) {
    throw "install: $name.zip has SHA-256 $digest, not ${expected}: nothing was installed"
  }
  Expand-Archive -LiteralPath $archive -DestinationPath $work
  $unpacked = Join-Path (Join-Path $work $name) 'satyrn-engine.exe'
  $executable = Join-Path $place 'satyrn-engine.exe'
  try {
    # Beside its place first, so that an executable which cannot be replaced while it runs stays whole.
    [IO.Directory]::CreateDirectory($place) | Out-Null
    $staged = Join-Path $place ".satyrn-engine-$([Guid]::NewGuid()).exe"
    Copy-Item -LiteralPath $unpacked -Destination $staged
    Move-Item -Force -LiteralPath $staged -Destination $executable
  } catch {
    throw "install: $executable cannot be written: $($_.Exception.Message)"
  }
  Write-Output "installed $executable"
  if (($env:PATH -split [IO.Path]::PathSeparator) -notcontains $place) {
    Write-Output "to put it on PATH, add $place in the settings' environment variables"
  }
} finally {
  Remove-Item -Recurse -Force -LiteralPath $work
  if ($staged -and (Test-Path -LiteralPath $staged)) { Remove-Item -Force -LiteralPath $staged }
}
