/**
 * A timer that does not keep the process running: a drain alone must not prevent it from exiting.
 *
 * On Workers with a compatibility date before 2026-03-01 a timer is a number, without `unref`, also with Node's types.
 */
export function backgroundTimer(work: () => void, milliseconds: number): NodeJS.Timeout {
  const timer: Partial<NodeJS.Timeout> & ReturnType<typeof setTimeout> = setTimeout(work, milliseconds)
  timer.unref?.()
  return timer
}
