# Installs satyrn-engine: fetches a release's archive, verifies its checksum, then places the executable.
#
#   install.ps1 -BaseUrl URL -Version VERSION [-Dir DIR]
#
# URL is the folder that holds the release's files.
param(
  [Parameter(Mandatory)] [Alias('base-url')] [string] $BaseUrl,
  [Parameter(Mandatory)] [ValidatePattern('^[0-9A-Za-z.+-]+$')] [string] $Version,
  [string] $Dir = (Join-Path $env:LOCALAPPDATA 'Programs\satyrn-engine')
)
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

$arch = if ($env:PROCESSOR_ARCHITECTURE -eq 'ARM64') { 'arm64' } else { 'x64' }
$name = "satyrn-engine-$($Version -replace '^v')-windows-$arch"
$base = $BaseUrl.TrimEnd('/')
$work = Join-Path ([IO.Path]::GetTempPath()) ([Guid]::NewGuid())
New-Item -ItemType Directory -Path $work | Out-Null
try {
  Invoke-WebRequest -UseBasicParsing -Uri "$base/SHA256SUMS" -OutFile "$work\SHA256SUMS"
  Invoke-WebRequest -UseBasicParsing -Uri "$base/$name.zip" -OutFile "$work\$name.zip"
  $line = @(Get-Content "$work\SHA256SUMS" | Where-Object { ($_ -split '  ', 2)[1] -ceq "$name.zip" })
  if ($line.Count -ne 1) { throw "install: SHA256SUMS does not name $name.zip" }
  $expected = ($line[0] -split '  ', 2)[0]
  $found = (Get-FileHash -Algorithm SHA256 "$work\$name.zip").Hash.ToLowerInvariant()
  if ($found -cne $expected) {
    throw "install: $name.zip has SHA-256 $found, not ${expected}: nothing was installed"
  }
  Expand-Archive -Path "$work\$name.zip" -DestinationPath $work
  New-Item -ItemType Directory -Force -Path $Dir | Out-Null
  Copy-Item -Force "$work\$name\satyrn-engine.exe" (Join-Path $Dir 'satyrn-engine.exe')
  Write-Output "installed $(Join-Path $Dir 'satyrn-engine.exe')"
  if (($env:PATH -split ';') -notcontains $Dir) {
    Write-Output "to put it on PATH, add $Dir in the settings' environment variables"
  }
} finally {
  Remove-Item -Recurse -Force $work
}
