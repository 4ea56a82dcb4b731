/** An audio track, as ffmpeg describes it. */
interface AudioTrack {
  /** Its number in the file. */
  readonly index: number
  readonly isDefault: boolean
  /** Whether ffmpeg may read it. Some codecs are only named, or carry the name of another. */
  readonly isReadable: boolean
}

const FORMAT = /^Input #0, (\S+), from /
const DURATION = /^ {2}Duration: (?:N\/A|(\d+):(\d\d):(\d\d(?:\.\d+)?))(?:, start: (-?[\d.]+))?/
/** ffmpeg 4 indents streams by four spaces. */
const TRACK = /^ {2,4}Stream #0:(\d+)\S*: (Audio|Video): (\S+)(.*)$/
const CHOICE = /^ {2}Stream #0:(\d+) -> #0:0/
const OUTPUT = /^Output #0, /
/* Messages begin with what writes them. The tags of a file, which may say anything, do not. */
const ESTIMATED = /^\[.*\] Estimating duration from bitrate/
const CUT = /^\[.*\] File ended prematurely/
const DEMUXING = /^\[.*\] Error during demuxing: (.*)/

/** Containers with a time for each packet. In others, sound is contiguous, and times are computed from it. */
const TIMED = /^(?:mov|matroska|mpegts|mpeg|asf)(?:,|$)/

/** Containers whose time line begins at zero, however late their first packet is. */
const FROM_ZERO = /^(?:mov|matroska)(?:,|$)/

/** Codecs that ffmpeg takes for another: Apple's spatial audio beside a stereo track. */
const UNREADABLE = /\(apac /

/** What ffmpeg's messages say about its input. Feed it each line of standard error. */
export class InputReport {
  readonly #inputUrl: string
  readonly #headed = Promise.withResolvers<undefined>()
  readonly #ended = Promise.withResolvers<undefined>()
  readonly #tracks: AudioTrack[] = []
  #format = ''
  #stated: number | undefined
  #start = 0
  #hasPictures = false
  #isEstimated = false
  #isCut = false
  #readFault: string | undefined
  #chosen: number | undefined

  /** @param inputUrl The file as ffmpeg's arguments name it. */
  constructor(inputUrl: string) {
    this.#inputUrl = inputUrl
  }

  /** Resolves when everything is known that stands before the sound, or the messages have ended. */
  get headed(): Promise<undefined> {
    return this.#headed.promise
  }

  /** Resolves when the messages have ended. */
  get ended(): Promise<undefined> {
    return this.#ended.promise
  }

  /** Takes a line. `undefined` is the end of the messages. */
  read(line: string | undefined): void {
    if (line === undefined) this.#ended.resolve(undefined)
    if (line === undefined || OUTPUT.test(line)) {
      this.#headed.resolve(undefined)
      return
    }
    this.#format ||= FORMAT.exec(line)?.[1] ?? ''
    this.#isEstimated ||= ESTIMATED.test(line)
    this.#isCut ||= CUT.test(line)
    this.#readDuration(line)
    this.#readTrack(line)
    const chosen = CHOICE.exec(line)?.[1]
    if (chosen !== undefined) this.#chosen ??= Number(chosen)
    this.#readFault ??= this.#faultOf(line)
  }

  /** ffmpeg 5 names the file, later versions the step. */
  #faultOf(line: string): string | undefined {
    const prefix = `${this.#inputUrl}: `
    if (line.startsWith(prefix) && !line.includes('corrupt input packet')) return line.slice(prefix.length)
    return DEMUXING.exec(line)?.[1]
  }

  #readDuration(line: string): void {
    const found = DURATION.exec(line)
    if (found === null || this.#stated !== undefined) return
    const [, hours, minutes, seconds, start] = found
    if (hours !== undefined) this.#stated = 3600 * Number(hours) + 60 * Number(minutes) + Number(seconds)
    this.#start = Number(start ?? 0)
  }

  #readTrack(line: string): void {
    const [, index, kind, codec = '', rest = ''] = TRACK.exec(line) ?? []
    // The description of the output has the same form.
    if (index === undefined || this.#chosen !== undefined) return
    if (kind === 'Video') this.#hasPictures ||= !rest.includes('(attached pic)')
    else {
      const isReadable = codec !== 'none' && codec !== 'unknown' && !UNREADABLE.test(rest)
      this.#tracks.push({ index: Number(index), isDefault: /\(default\)/.test(rest), isReadable })
    }
  }

  /** Number of audio tracks. */
  get tracks(): number {
    return this.#tracks.length
  }

  /** The tracks to try, the best first: the default one, then the others in their order. */
  get candidates(): readonly number[] {
    const readable = this.#tracks.filter((track) => track.isReadable)
    const first = readable.find((track) => track.isDefault) ?? readable[0]
    return first === undefined ? [] : [first, ...readable.filter((track) => track !== first)].map(({ index }) => index)
  }

  /** The track that ffmpeg reads. `undefined` until it says so. */
  get chosen(): number | undefined {
    return this.#chosen
  }

  /** Whether the times of packets count. */
  get isTimed(): boolean {
    return TIMED.test(this.#format)
  }

  /** Stated length of the file, in seconds. `undefined` when the file states none. */
  get stated(): number | undefined {
    return this.#isEstimated ? undefined : this.#stated
  }

  /** Silence before the first packet of any track, in seconds. */
  get lead(): number {
    const { stated = 0 } = this
    return FROM_ZERO.test(this.#format) && this.#start > 0 && this.#start < stated ? this.#start : 0
  }

  /** Whether pictures may last longer than the sound. A cover is none. */
  get hasPictures(): boolean {
    return this.#hasPictures
  }

  /** Whether ffmpeg met the end of the file inside a part of it. */
  get isCut(): boolean {
    return this.#isCut
  }

  /** Why ffmpeg stopped reading before the end. `undefined` when it did not. */
  get readFault(): string | undefined {
    return this.#readFault
  }

  /** Whether the file is an Ogg. */
  get isOgg(): boolean {
    return this.#format === 'ogg'
  }
}
