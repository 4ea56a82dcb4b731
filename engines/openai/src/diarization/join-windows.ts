import { speakerLabel, type SpeakerSegment } from '@svc-audio/engine-ports'

/** The speakers of a part of a recording. Times are those of the recording, and labels belong to this part alone. */
export interface SpeakerWindow {
  readonly startSecond: number
  readonly endSecond: number
  readonly segments: readonly SpeakerSegment[]
}

/**
 * Joins windows that overlap. A speaker of a later window is the one with whom it shares most time in the overlap. One
 * who says nothing there is a new speaker.
 * @returns Segments in the order of time, without overlaps, with labels in the order of the first speech
 */
export function joinWindows(windows: readonly SpeakerWindow[]): SpeakerSegment[] {
  const joined: SpeakerSegment[] = []
  let speakers = 0
  let before: SpeakerWindow | undefined
  for (const window of windows) {
    const cut = before === undefined ? 0 : (window.startSecond + before.endSecond) / 2
    const same = before === undefined ? new Map<string, string>() : matchSpeakers(joined, window, before.endSecond)
    const named = window.segments.map((segment) => {
      const name = same.get(segment.speaker) ?? String((speakers += 1))
      same.set(segment.speaker, name)
      return { ...segment, speaker: name }
    })
    const earlier = joined.splice(0).flatMap((segment) => clipped(segment, 0, cut))
    joined.push(
      ...(before === undefined ? [] : earlier),
      ...named.flatMap((segment) => clipped(segment, cut, Infinity)),
    )
    before = window
  }
  return relabelled(withoutOverlaps(joined))
}

/** Finds the earlier names of a window's speakers: pairs in the order of their shared time, each speaker once. */
function matchSpeakers(
  joined: readonly SpeakerSegment[],
  { startSecond, segments }: SpeakerWindow,
  endSecond: number,
): Map<string, string> {
  const shared = new Map<string, { readonly earlier: string; readonly later: string; seconds: number }>()
  for (const one of joined) {
    for (const other of segments) {
      const from = Math.max(one.startSecond, other.startSecond, startSecond)
      const seconds = Math.min(one.endSecond, other.endSecond, endSecond) - from
      if (seconds <= 0) continue
      const key = JSON.stringify([one.speaker, other.speaker])
      const pair = shared.get(key) ?? { earlier: one.speaker, later: other.speaker, seconds: 0 }
      pair.seconds += seconds
      shared.set(key, pair)
    }
  }
  const names = new Map<string, string>()
  const taken = new Set<string>()
  for (const { earlier, later } of [...shared.values()].toSorted((a, b) => b.seconds - a.seconds)) {
    if (names.has(later) || taken.has(earlier)) continue
    names.set(later, earlier)
    taken.add(earlier)
  }
  return names
}

function clipped(segment: SpeakerSegment, from: number, to: number): SpeakerSegment[] {
  const startSecond = Math.max(segment.startSecond, from)
  const endSecond = Math.min(segment.endSecond, to)
  return endSecond > startSecond ? [{ ...segment, startSecond, endSecond }] : []
}

/** Where two speakers talk at once, the one who began later counts. */
function withoutOverlaps(segments: readonly SpeakerSegment[]): SpeakerSegment[] {
  const ordered = segments.toSorted((a, b) => a.startSecond - b.startSecond)
  return ordered.flatMap((segment, index) => clipped(segment, 0, ordered[index + 1]?.startSecond ?? Infinity))
}

function relabelled(segments: readonly SpeakerSegment[]): SpeakerSegment[] {
  const names = [...new Set(segments.map(({ speaker }) => speaker))]
  return segments.map((segment) => ({ ...segment, speaker: speakerLabel(names.indexOf(segment.speaker)) }))
}
