import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type TestModels, writeTestModels } from '@svc-audio/kit/engine-fixtures/onnx-models.ts'
import { CHECKS, UNOBSERVABLE } from '../src/checks/index.ts'
import { type LocalService, type LocalServiceOptions, startLocalService } from '../src/local-service.ts'
import { type RuleResult, runChecks, serverRules } from '../src/check.ts'
import { Subject } from '../src/subject/subject.ts'

const SHERPA_ONNX = fileURLToPath(new URL('../../../engines/sherpa-onnx/dist/index.js', import.meta.url))

/** A service that speaks, or speaks and hears, by a driver of the file of engines. */
interface Driven {
  readonly driver: string
  /** Opens what the engine needs. */
  readonly open: () => Promise<{ readonly options: LocalServiceOptions; readonly close: () => Promise<void> }>
}

let models: TestModels

const DRIVEN: readonly Driven[] = [
  {
    driver: 'openai, with another service as its server',
    async open() {
      const far = await startLocalService({ openaiApi: true })
      const { baseUrl, key } = far.options
      process.env['CONFORMANCE_FAR_KEY'] = key
      const server = `driver: openai\n    baseUrl: ${baseUrl}/openai/v1\n    apiKeyVariable: CONFORMANCE_FAR_KEY`
      return {
        options: {
          engines: `engines:
  far:
    ${server}
    speech: { model: tts-1, format: wav, sampleRate: 16000 }
    recognition: { model: whisper-1 }
`,
        },
        close: () => far.close(),
      }
    },
  },
  {
    driver: 'espeak-ng',
    async open() {
      // The bundled recognizer does not know these voices. Those of one variant all have the same pitch.
      const engines = `engines:
  man: { driver: espeak-ng, languages: [en-US] }
  woman: { driver: espeak-ng, languages: [en-GB], variant: f3, idPrefix: woman- }
`
      return { options: { engines, quick: true }, close: async () => {} }
    },
  },
  {
    driver: 'sherpa-onnx, with a model that hums',
    async open() {
      models = await writeTestModels()
      const voices = '[{ id: one, language: en }, { id: two, language: en, speaker: 1 }]'
      const engine = `{ driver: ${SHERPA_ONNX}, family: vits, model: ${models.vits}, voices: ${voices} }`
      return {
        options: { engines: `engines: { hum: ${engine} }\n`, quick: true },
        close: () => models.remove(),
      }
    },
  },
]

const rules = serverRules()

describe.each(DRIVEN)('a service over $driver', ({ open }) => {
  const results = new Map<string, RuleResult>()
  let closeAll: (() => Promise<void>)[] = []
  beforeAll(async () => {
    const { options, close } = await open()
    closeAll = [close]
    const service: LocalService = await startLocalService(options)
    closeAll.unshift(() => service.close())
    await vi.waitUntil(async () => (await downEngines(service)).length === 0, { timeout: 120_000, interval: 100 })
    const subject = new Subject(service.options)
    const all = await runChecks(subject, { rules, checks: CHECKS, unobservable: UNOBSERVABLE })
    for (const result of all) results.set(result.rule, result)
    await subject.cleanUp()
  }, 900_000)
  afterAll(async () => {
    for (const close of closeAll) await close()
  })

  test.each(rules.map(({ id }) => id))('follows %s', (id) => {
    const failed = results.get(id)?.checks.filter(({ outcome }) => outcome === 'fail')
    expect(failed).toEqual([])
  })
})

/** The engines that do not work yet. */
async function downEngines({ options }: LocalService): Promise<readonly string[]> {
  const ready: unknown = await (await fetch(`${options.baseUrl}/readyz`)).json()
  const engines: unknown = typeof ready === 'object' && ready !== null ? Reflect.get(ready, 'engines') : undefined
  return Array.isArray(engines) ? engines.map(String) : []
}
