/** Stands for something that is left out: of the white space around it, one side goes too. */
export const LEFT_OUT: unique symbol = Symbol('left out')

/** A part of the text to speak. */
export type Part = string | typeof LEFT_OUT

/** The text of the parts. */
export function joinParts(parts: readonly Part[]): string {
  const out: string[] = []
  let leftOut = false
  for (const part of parts) {
    if (part === LEFT_OUT) {
      leftOut = true
    } else if (part !== '') {
      out.push(leftOut ? closeGap(out, part) : part)
      leftOut = false
    }
  }
  if (leftOut) closeGap(out, '\n')
  return out.join('')
}

/** The text behind a gap; the one before it may lose its last space. */
function closeGap(out: string[], behind: string): string {
  const before = out.at(-1) ?? '\n'
  if (/^[ \t]/.test(behind)) return /[\s]$/.test(before.slice(-1)) ? behind.slice(1) : behind
  if (/^[\r\n.,;:!?…)\]]/.test(behind) && /[ \t]$/.test(before.slice(-1))) out[out.length - 1] = before.slice(0, -1)
  return behind
}
