import { Document } from '@langchain/core/documents'
import { speakerTurns, type StoredTranscript } from '@svc-audio/agent-tools'
import { ProtocolError } from '@svc-audio/core'
import { oneOf, optional } from '@svc-audio/options'
import { toSrt, toVtt } from '@svc-audio/core/subtitles'
import { AudioLoader, type AudioLoaderOptions, audioMetadata, type AudioMetadata } from './audio-loader.ts'
import type { AudioLoaderSource } from './recordings.ts'

const DIARIZING = 'svc-transcribe-diarize-pro'

/** One document for each recording: its whole transcript. */
export class AudioTranscriptLoader extends AudioLoader<AudioMetadata> {
  /** @throws ConfigurationError naming the option */
  constructor(source: AudioLoaderSource, options: AudioLoaderOptions) {
    super(source, options, 'svc-transcribe-1.0')
  }

  protected documents(transcript: StoredTranscript, source: string): Document<AudioMetadata>[] {
    return [new Document({ pageContent: transcript.text, metadata: audioMetadata(transcript, source) })]
  }
}

/** Metadata of a speaker turn. */
export interface AudioSegmentMetadata extends AudioMetadata {
  /** Of the form `S01`. */
  readonly speaker: string
  /** Seconds from the start of the recording. */
  readonly start: number
  /** Seconds from the start of the recording. */
  readonly end: number
}

/** One document for each speaker turn. A recording without segments, as short ones may be, has none. */
export class AudioTranscriptSegmentsLoader extends AudioLoader<AudioSegmentMetadata> {
  /** @throws ConfigurationError naming the option */
  constructor(source: AudioLoaderSource, options: AudioLoaderOptions) {
    super(source, options, DIARIZING)
  }

  protected documents(transcript: StoredTranscript, source: string): Document<AudioSegmentMetadata>[] {
    const shared = audioMetadata(transcript, source)
    return speakerTurns(transcript.segments ?? []).map(
      ({ text, speaker, start, end }) =>
        new Document({ pageContent: text, metadata: { ...shared, speaker, start, end } }),
    )
  }
}

/** Options of {@link AudioSubtitleLoader}. */
export interface AudioSubtitleLoaderOptions extends AudioLoaderOptions {
  /** @default 'srt' */
  readonly format?: 'srt' | 'vtt'
}

/** One document for each recording: its subtitles. */
export class AudioSubtitleLoader extends AudioLoader<AudioMetadata> {
  readonly #format: 'srt' | 'vtt'

  /** @throws ConfigurationError naming the option */
  constructor(source: AudioLoaderSource, options: AudioSubtitleLoaderOptions) {
    super(source, options, DIARIZING, { format: optional(oneOf(['srt', 'vtt'])) })
    this.#format = options.format ?? 'srt'
  }

  protected documents(transcript: StoredTranscript, source: string): Document<AudioMetadata>[] {
    const { segments, text } = transcript
    if (segments === undefined && text.trim() !== '') {
      throw new ProtocolError(
        'The transcription has no segments, so no times for subtitles: use the multi-speaker model',
      )
    }
    const subtitles = this.#format === 'srt' ? toSrt({ segments: segments ?? [] }) : toVtt({ segments: segments ?? [] })
    return [new Document({ pageContent: subtitles, metadata: audioMetadata(transcript, source) })]
  }
}
