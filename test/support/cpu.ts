/**
 * The milliseconds that this process has computed for. Of a claim that something takes no more than a moment they
 * tell the same however busy the machine is.
 */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
