import type { EngineDrivers, RecognitionEngine } from '@svc-audio/engine-ports'
import { bundledEngines } from '@svc-audio/engines'

/**
 * The bundled recognizer, which loads its model when the first recording comes, and not when a starting service probes
 * it. Most tests transcribe nothing, and the model costs a quarter of a start.
 */
export function lateRecognition(): Pick<EngineDrivers, 'recognition'> {
  const bundled = bundledEngines()
  const { recognition } = bundled
  return {
    recognition: {
      ...recognition,
      async create(options) {
        let isProbed = false
        let made: Promise<RecognitionEngine> | undefined
        const engine = (): Promise<RecognitionEngine> => (made ??= recognition.create(options))
        return {
          name: recognition.name,
          language: recognition.language,
          async recognize(pcm, how) {
            if (isProbed) return (await engine()).recognize(pcm, how)
            isProbed = true
            return { text: '', words: [], durationSeconds: 0 }
          },
          async close() {
            await (await made)?.close()
            await bundled.close()
          },
        }
      },
    },
  }
}
