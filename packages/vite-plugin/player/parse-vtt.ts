/** A caption and its times. */
export interface Cue {
  readonly startSecond: number
  readonly endSecond: number
  readonly text: string
}

/** Captions of a page. */
export interface Captions {
  readonly cues: readonly Cue[]
  /** Whether more captions follow. The dev server sends the captions known so far. */
  readonly isPartial: boolean
}

const TIMES = /^(?:(\d+):)?(\d\d):(\d\d\.\d{3}) --> (?:(\d+):)?(\d\d):(\d\d\.\d{3})/

/** Parses the WebVTT that the plugin writes. */
export function parseVtt(vtt: string): Captions {
  const blocks = vtt.replace(/\r\n?/g, '\n').split(/\n{2,}/)
  const cues = blocks.flatMap((block) => {
    const lines = block.split('\n')
    const at = lines.findIndex((line) => TIMES.test(line))
    const [, ...times] = TIMES.exec(lines[at] ?? '') ?? []
    if (times.length === 0) return []
    const text = lines
      .slice(at + 1)
      .join(' ')
      .trim()
    return [{ startSecond: seconds(times.slice(0, 3)), endSecond: seconds(times.slice(3)), text: plain(text) }]
  })
  return { cues, isPartial: blocks.some((block) => block.trim() === 'NOTE partial') }
}

function seconds([hours = '0', minutes = '0', rest = '0']: readonly (string | undefined)[]): number {
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(rest)
}

function plain(text: string): string {
  return text
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
