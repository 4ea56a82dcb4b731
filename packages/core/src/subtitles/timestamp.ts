/**
 * Formats seconds as `hh:mm:ss.mmm`. Hours may have more than two digits.
 * @param mark Decimal mark: `.` in VTT, `,` in SRT
 */
export function timestamp(seconds: number, mark: ',' | '.'): string {
  const ms = Math.round(seconds * 1000)
  const parts = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1000) % 60]
  return `${parts.map((part) => pad(part, 2)).join(':')}${mark}${pad(ms % 1000, 3)}`
}

function pad(value: number, digits: number): string {
  return String(value).padStart(digits, '0')
}
