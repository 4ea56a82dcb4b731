/** Texts of the player. `{current}` and `{total}` stand for times. */
export interface PlayerLabels {
  readonly play: string
  readonly pause: string
  readonly previous: string
  readonly next: string
  /** Of the slider. */
  readonly position: string
  /** What the slider says, e.g. `0:05 of 1:30`. */
  readonly time: string
  readonly speed: string
  readonly captions: string
  readonly download: string
  /** Of a player without `label`. */
  readonly narration: string
  /** The audio cannot be loaded or decoded. */
  readonly unplayable: string
  /** The browser did not start the audio. */
  readonly blocked: string
}

/** The texts in English. */
const ENGLISH: PlayerLabels = {
  play: 'Play',
  pause: 'Pause',
  previous: 'Previous paragraph',
  next: 'Next paragraph',
  position: 'Position',
  time: '{current} of {total}',
  speed: 'Speed',
  captions: 'CC, captions',
  download: 'Download',
  narration: 'Narration',
  unplayable: 'This narration cannot be played. Reload the page.',
  blocked: 'The browser did not start the audio. Press play.',
}

/** The texts of an attribute of JSON. Absent ones are English. */
export function readLabels(attribute: string | null): PlayerLabels {
  const given = parse(attribute)
  const own = Object.entries(ENGLISH).map(([name, text]): [string, string] => {
    const value: unknown = Reflect.get(given, name)
    return [name, typeof value === 'string' && value !== '' ? value : text]
  })
  return { ...ENGLISH, ...Object.fromEntries(own) }
}

function parse(attribute: string | null): object {
  if (attribute === null) return {}
  try {
    const value: unknown = JSON.parse(attribute)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    console.warn(`<narration-player>: labels is no JSON, so they are English: ${attribute}`)
    return {}
  }
}
