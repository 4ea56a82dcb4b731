/** A parsed cue. */
export interface ParsedCue {
  /** Milliseconds. */
  readonly from: number
  /** Milliseconds. */
  readonly until: number
  readonly lines: readonly string[]
  /** VTT only. */
  readonly voice?: string
}

/** Parses SRT strictly. */
export function parseSrt(text: string): ParsedCue[] {
  if (text === '') return []
  if (!text.endsWith('\n')) throw new Error('The last line has no end')
  return text
    .slice(0, -1)
    .split('\n\n')
    .map((block, index) => {
      const [number, times = '', ...lines] = block.split('\n')
      if (number !== String(index + 1)) throw new Error(`Cue ${index + 1} has the number ${JSON.stringify(number)}`)
      return Object.assign(parseTimes(times, ','), { lines: checkLines(lines) })
    })
}

/** Parses WebVTT strictly. */
export function parseVtt(text: string): ParsedCue[] {
  const [header, ...blocks] = text.split('\n\n')
  if (header === 'WEBVTT\n' && blocks.length === 0) return []
  if (header !== 'WEBVTT') throw new Error(`The header is ${JSON.stringify(header)}`)
  if (!text.endsWith('\n')) throw new Error('The last line has no end')
  return blocks.map((block, index) => {
    const [times = '', ...lines] = (index === blocks.length - 1 ? block.slice(0, -1) : block).split('\n')
    const payload = checkLines(lines).join('\n')
    const [, voice, voiced] = /^<v ([^<>\n]+)>([^<>]*)<\/v>$/.exec(payload) ?? []
    const content = voiced ?? payload
    if (/[<>]/.test(content)) throw new Error(`There is markup in ${JSON.stringify(content)}`)
    const cue = Object.assign(parseTimes(times, '.'), { lines: unescape(content).split('\n') })
    return voice === undefined ? cue : Object.assign(cue, { voice: unescape(voice) })
  })
}

function parseTimes(line: string, mark: ',' | '.'): { from: number; until: number } {
  const [start = '', end = '', more] = line.split(' --> ')
  if (more !== undefined) throw new Error(`Not a line of times: ${line}`)
  const [from, until] = [parseTime(start, mark), parseTime(end, mark)]
  if (until <= from) throw new Error(`A cue ends before it starts: ${line}`)
  return { from, until }
}

function parseTime(text: string, mark: ',' | '.'): number {
  const [, hours, minutes, seconds, found, ms] = /^(\d{2,}):([0-5]\d):([0-5]\d)([,.])(\d{3})$/.exec(text) ?? []
  if (found !== mark) throw new Error(`Not a time: ${JSON.stringify(text)}`)
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(ms)
}

function checkLines(lines: readonly string[]): readonly string[] {
  if (lines.length === 0) throw new Error('A cue has no text')
  for (const line of lines) {
    if (line.trim() === '') throw new Error('A cue has a blank line')
    if (line.includes('-->')) throw new Error(`A text reads as a time: ${line}`)
    // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
    if (/[\u0000-\u001F\u007F-\u009F\u2028\u2029]/.test(line)) throw new Error('A text has control characters')
  }
  return lines
}

function unescape(text: string): string {
  const names: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>' }
  return text.replaceAll(/&(\w*;?)/g, (_, name: string) => {
    const found = names[name.slice(0, -1)]
    if (found === undefined || !name.endsWith(';')) throw new Error(`Not an escape: &${name}`)
    return found
  })
}
