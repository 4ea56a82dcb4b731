/** A caption and its times. */
export interface Cue {
  readonly startSecond: number
  readonly endSecond: number
  readonly text: string
}

/** Captions of a page. */
export interface Captions {
  readonly cues: readonly Cue[]
  /** Paragraphs: the cues of a segment of the text. Cues of other programs are one each. */
  readonly segments: readonly Cue[]
  /** Whether more captions follow. The dev server sends the captions known so far. */
  readonly isPartial: boolean
}

const TIMES = /^(?:(\d+):)?(\d\d):(\d\d\.\d{3}) --> (?:(\d+):)?(\d\d):(\d\d\.\d{3})/

/** The current cue or segment, -1 before the first. A gap belongs to the one before it. */
export function currentOf(cues: readonly Cue[], second: number): number {
  // A seek to the start of a cue may land a little before it.
  return cues.findLastIndex(({ startSecond }) => startSecond <= second + 0.01)
}

/** Parses the WebVTT that the plugin writes. */
export function parseVtt(vtt: string): Captions {
  const blocks = vtt.replace(/\r\n?/g, '\n').split(/\n{2,}/)
  const found = blocks.flatMap((block) => {
    const lines = block.split('\n')
    const at = lines.findIndex((line) => TIMES.test(line))
    const [, ...times] = TIMES.exec(lines[at] ?? '') ?? []
    if (times.length === 0) return []
    const text = lines
      .slice(at + 1)
      .join(' ')
      .trim()
    const cue = { startSecond: seconds(times.slice(0, 3)), endSecond: seconds(times.slice(3)), text: plain(text) }
    return [{ cue, segment: /^(\d+)\.\d+$/.exec(lines[at - 1] ?? '')?.[1] }]
  })
  const cues = found.map(({ cue }) => cue)
  return { cues, segments: segmentsOf(found), isPartial: blocks.some((block) => block.trim() === 'NOTE partial') }
}

/** Joins the cues of each segment. The identifier of a cue begins with its segment. */
function segmentsOf(found: readonly { readonly cue: Cue; readonly segment: string | undefined }[]): Cue[] {
  const segments: Cue[] = []
  let last: string | undefined
  for (const { cue, segment } of found) {
    const before = segment !== undefined && segment === last ? segments.pop() : undefined
    last = segment
    if (before === undefined) segments.push(cue)
    else segments.push({ ...before, endSecond: cue.endSecond, text: `${before.text} ${cue.text}` })
  }
  return segments
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
