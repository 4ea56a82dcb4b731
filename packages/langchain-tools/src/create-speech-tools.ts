import { resolveOptions, type SpeechToolsOptions } from './options.ts'
import { speakTool, type SpeakTool } from './speak.ts'
import { transcribeTool, type TranscribeTool } from './transcribe.ts'

/**
 * Two tools for an agent: `speak` turns text into audio in a store, `transcribe` turns audio into text. Content is short
 * and for the model; the artifact is for the application and names audio by reference.
 *
 * @throws ConfigurationError naming the option
 * @example
 * const tools = createSpeechTools({ client: new AudioClient(), voice_id: 'rms', store: folderAudioStore('./audio') })
 * const agent = createAgent({ model, tools })
 */
export function createSpeechTools(options: SpeechToolsOptions): [speak: SpeakTool, transcribe: TranscribeTool] {
  const resolved = resolveOptions(options)
  return [speakTool(resolved), transcribeTool(resolved)]
}
