/** Formats milliseconds: `84 ms`, `1.2 s`. */
export function formatMs(ms: number): string {
  return Math.round(ms) < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

/** Formats seconds of audio: `3.2 s`, `2:05`. */
export function formatSeconds(seconds: number): string {
  const tenths = Math.round(seconds * 10) / 10
  return tenths < 60 ? `${tenths.toFixed(1)} s` : formatClock(Math.max(60, seconds))
}

/** Formats a position in audio: `0:03`. */
export function formatClock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`
}

/** Formats a size: `102 KB`, `1.4 MB`. */
export function formatBytes(bytes: number): string {
  return Math.round(bytes / 1000) < 1000 ? `${Math.round(bytes / 1000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** Formats the time of work for a second of audio: `48 × faster than real time`, `1.5 × slower than real time`. */
export function formatPace(factor: number): string {
  if (factor > 0.95 && factor < 1.05) return 'as long as the audio'
  const times = factor < 1 ? 1 / Math.max(factor, 0.0001) : factor
  const shown = times < 10 ? times.toFixed(1) : String(Math.round(times))
  return `${shown} × ${factor < 1 ? 'faster' : 'slower'} than real time`
}

/** Formats a share: `3.4 %`. */
export function formatPercent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

/** Formats an integer with thousands separators: `5,000`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en')
}

/** Formats a Unix time in seconds as a local date and time, `3 Nov, 14:05`, or one of another year as its date: `13 Dec 2017`. */
export function formatTime(unixSeconds: number): string {
  const date = new Date(unixSeconds * 1000)
  const isOfThisYear = date.getFullYear() === new Date().getFullYear()
  const rest = isOfThisYear ? ({ hour: '2-digit', minute: '2-digit' } as const) : ({ year: 'numeric' } as const)
  return date.toLocaleString(undefined, { day: 'numeric', month: 'short', ...rest })
}

/**
 * Formats a time in milliseconds as a local time with seconds, `14:05:12`, or one of another day as {@link formatTime}
 * does.
 * @param now The time of today, in milliseconds. @default the machine's clock
 */
export function formatMoment(unixMs: number, now: number = Date.now()): string {
  const date = new Date(unixMs)
  return date.toDateString() === new Date(now).toDateString() ? date.toLocaleTimeString() : formatTime(unixMs / 1000)
}
