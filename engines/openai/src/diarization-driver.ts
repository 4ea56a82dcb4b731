import {
  type Diarization,
  DIARIZATION_SAMPLE_RATE,
  type DiarizationDriver,
  type DiarizationEngine,
  EngineClosedError,
  EngineFailedError,
  speakerLabel,
  type SpeakerSegment,
} from '@svc-audio/engine-ports'
import { cancellableSource } from '@svc-audio/engine-ports/driver'
import { findSpeech, PcmReader, UtteranceSplitter } from '@svc-audio/engine-ports/listening'
import { z } from 'zod'
import type { DiarizationKeys } from './keys.ts'
import { timeUnit } from './time-unit.ts'
import { formBody, readJson, untilHeard, type Upstream } from './upstream.ts'

/** Time that two requests for one recording share, in seconds: a minute, or a quarter of a short request. */
const OVERLAP_SECONDS = 60

const DiarizationResponse = z.object({
  segments: z.array(z.object({ start: z.number(), end: z.number(), speaker: z.union([z.string(), z.number()]) })),
})

/** Makes the diarization driver of an entry. */
export function diarizationDriver(name: string, keys: DiarizationKeys, upstream: Upstream): DiarizationDriver {
  return { name, create: async () => new UpstreamDiarization(name, keys, upstream) }
}

class UpstreamDiarization implements DiarizationEngine {
  readonly name: string
  readonly #keys: DiarizationKeys
  readonly #upstream: Upstream
  readonly #closing = new AbortController()

  constructor(name: string, keys: DiarizationKeys, upstream: Upstream) {
    this.name = name
    this.#keys = keys
    this.#upstream = upstream
  }

  async diarize(pcm: AsyncIterable<Uint8Array>, options: { readonly signal?: AbortSignal } = {}): Promise<Diarization> {
    const signal = AbortSignal.any([options.signal, this.#closing.signal].filter((one) => one !== undefined))
    const reader = new PcmReader(cancellableSource(pcm, signal))
    const recording = new Windows(this.#keys.maxSeconds)
    const windows: SpeakerWindow[] = []
    try {
      signal.throwIfAborted()
      for (let block = await reader.next(); block !== undefined; block = await reader.next()) {
        for (const window of recording.push(block)) windows.push(await this.#hear(window, signal))
      }
      for (const window of recording.end()) windows.push(await this.#hear(window, signal))
      return { segments: joinWindows(windows), durationSeconds: recording.seconds }
    } finally {
      reader.leave()
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new EngineClosedError(this.name))
  }

  async #hear({ samples, startSecond }: Window, signal: AbortSignal): Promise<SpeakerWindow> {
    const endSecond = startSecond + samples.length / DIARIZATION_SAMPLE_RATE
    // Silence has no speakers, and costs nothing.
    const heard = hasSpeech(samples) ? await untilHeard(() => this.#send(samples, signal), signal) : []
    const unit = timeUnit(heard, endSecond - startSecond, this.name)
    const segments = heard
      .map(({ start, end, speaker }) => ({
        startSecond: startSecond + Math.max(0, start / unit),
        endSecond: Math.min(endSecond, startSecond + end / unit),
        speaker: String(speaker),
      }))
      .filter((segment) => segment.endSecond > segment.startSecond)
    return { startSecond, endSecond, segments }
  }

  async #send(
    samples: Int16Array<ArrayBuffer>,
    signal: AbortSignal,
  ): Promise<z.infer<typeof DiarizationResponse>['segments']> {
    const { model, path, extra = {} } = this.#keys
    const body = await formBody([...Object.entries(extra), ['model', model], ['response_format', 'json']], samples)
    const response = await this.#upstream.send({ method: 'POST', path, body, signal })
    try {
      const parsed = DiarizationResponse.safeParse(await readJson(this.name, response))
      if (parsed.success) return parsed.data.segments
      throw new EngineFailedError(`${this.name} answered JSON without speakers: check diarization.path`)
    } catch (error) {
      response.body.cancel()
      signal.throwIfAborted()
      throw this.#upstream.explain(error)
    }
  }
}

/** A part of a recording that one request gets. */
interface Window {
  readonly samples: Int16Array<ArrayBuffer>
  readonly startSecond: number
}

function hasSpeech(samples: Int16Array): boolean {
  const splitter = new UtteranceSplitter({ maxSeconds: 25, pauseSeconds: 0.4 })
  for (const utterance of splitter.push(samples)) if (findSpeech(utterance.samples) !== undefined) return true
  for (const utterance of splitter.end()) if (findSpeech(utterance.samples) !== undefined) return true
  return false
}

/** Cuts a recording into windows that overlap. Memory holds one of them. */
class Windows {
  readonly #size: number
  readonly #overlap: number
  #held: Int16Array<ArrayBuffer>
  #length = 0
  #start = 0
  /** End of the last window, in samples of the recording. */
  #lastEnd = 0
  #samples = 0

  constructor(maxSeconds: number) {
    this.#size = Math.floor(maxSeconds * DIARIZATION_SAMPLE_RATE)
    this.#overlap = Math.floor(Math.min(OVERLAP_SECONDS, maxSeconds / 4) * DIARIZATION_SAMPLE_RATE)
    this.#held = new Int16Array(Math.min(this.#size, 60 * DIARIZATION_SAMPLE_RATE))
  }

  /** Length of the recording so far. */
  get seconds(): number {
    return this.#samples / DIARIZATION_SAMPLE_RATE
  }

  *push(block: Int16Array): Generator<Window> {
    this.#samples += block.length
    for (let at = 0; at < block.length;) {
      if (this.#length === this.#size) yield this.#take()
      const more = block.subarray(at, at + this.#size - this.#length)
      this.#add(more)
      at += more.length
    }
  }

  *end(): Generator<Window> {
    // A rest that the last window has already is no window.
    if (this.#start + this.#length > this.#lastEnd) yield this.#take()
  }

  #add(more: Int16Array): void {
    if (this.#length + more.length > this.#held.length) {
      const grown = new Int16Array(Math.min(this.#size, 2 * (this.#length + more.length)))
      grown.set(this.#held.subarray(0, this.#length))
      this.#held = grown
    }
    this.#held.set(more, this.#length)
    this.#length += more.length
  }

  #take(): Window {
    const window = {
      samples: this.#held.slice(0, this.#length),
      startSecond: this.#start / DIARIZATION_SAMPLE_RATE,
    }
    this.#lastEnd = this.#start + this.#length
    this.#held.copyWithin(0, this.#length - this.#overlap, this.#length)
    this.#start = this.#lastEnd - this.#overlap
    this.#length = this.#overlap
    return window
  }
}

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

/**
 * Where two speakers talk at once, the one who began later counts, and the other one continues behind it: an interjection
 * parts a long turn in two.
 */
function withoutOverlaps(segments: readonly SpeakerSegment[]): SpeakerSegment[] {
  const ordered = segments.toSorted((a, b) => a.startSecond - b.startSecond || b.endSecond - a.endSecond)
  const parts: SpeakerSegment[] = []
  /** Segments that have begun, the one that counts last. */
  const open: SpeakerSegment[] = []
  let at = 0
  const advance = (until: number): void => {
    for (let top = open.at(-1); top !== undefined && at < until; top = open.at(-1)) {
      const startSecond = Math.max(at, top.startSecond)
      const endSecond = Math.min(top.endSecond, until)
      if (endSecond > startSecond) parts.push({ ...top, startSecond, endSecond })
      at = Math.max(at, endSecond)
      if (top.endSecond > until) return
      open.pop()
    }
  }
  for (const segment of ordered) {
    advance(segment.startSecond)
    at = Math.max(at, segment.startSecond)
    open.push(segment)
  }
  advance(Infinity)
  return parts
}

function relabelled(segments: readonly SpeakerSegment[]): SpeakerSegment[] {
  const names = [...new Set(segments.map(({ speaker }) => speaker))]
  return segments.map((segment) => ({ ...segment, speaker: speakerLabel(names.indexOf(segment.speaker)) }))
}
