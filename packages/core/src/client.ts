import { BaseClient } from './base-client.ts'
import type { DerivedClientOptions } from './client-options.ts'
import { DialogueResource } from './resources/dialogue.ts'
import { download, type Downloadable } from './resources/download.ts'
import { FilesResource } from './resources/files.ts'
import { ModelsResource } from './resources/models.ts'
import { SpeechResource } from './resources/speech.ts'
import { TasksResource } from './resources/tasks.ts'
import { TranscriptionsResource } from './resources/transcriptions.ts'
import { VoiceGenerationsResource } from './resources/voice-generations.ts'
import { VoicesResource } from './resources/voices.ts'
import type { AudioBody } from './streaming/audio-body.ts'
import type { Call, CallOptions } from './transport/call.ts'

/**
 * The client with every resource, without a platform. The caller passes transport, clock and files. `@svc-audio/core`
 * passes them for Node.
 */
export class PureAudioClient extends BaseClient {
  /** Speech from text: a response, a stream or a task. */
  readonly speech: SpeechResource = this.add(SpeechResource)
  /** Speech of several voices. */
  readonly dialogue: DialogueResource = this.add(DialogueResource)
  /** Text from audio: a response, a stream or a task. */
  readonly transcriptions: TranscriptionsResource = this.add(TranscriptionsResource)
  /** Voices: list them, or make one from a recording. */
  readonly voices: VoicesResource = this.add(VoicesResource)
  /** Speech in a voice that is described in words. */
  readonly voiceGenerations: VoiceGenerationsResource = this.add(VoiceGenerationsResource)
  /** Stored files. */
  readonly files: FilesResource = this.add(FilesResource)
  /** Tasks by their id: read, wait, cancel. */
  readonly tasks: TasksResource = this.add(TasksResource)
  /** The models of the tenant. */
  readonly models: ModelsResource = this.add(ModelsResource)

  /**
   * Downloads the audio of a result or of a finished task. The key goes only to the service's own address, never to
   * another one that the URL or a redirect names. If the URL has expired, the client reads a new one from the task.
   * @throws ResultUnavailableError without a URL, or if the URL has expired for good
   */
  download(result: Downloadable, options?: CallOptions): Call<AudioBody> {
    return download(this.context, result, options)
  }

  /**
   * Returns a client with some options changed, for one call or one tenant. `headers` are added to those of this
   * client. Both clients share the connections, the semaphore and the scheduler of waits. Closing the new client ends
   * only its own waits.
   * @throws ConfigurationError naming the option
   * @example
   * await audio.withOptions({ maxRetries: 0, timeout: 5000 }).models.list()
   */
  withOptions(options: DerivedClientOptions): PureAudioClient {
    return new PureAudioClient(...this.derive(options))
  }
}
