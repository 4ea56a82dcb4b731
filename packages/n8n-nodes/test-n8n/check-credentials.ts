import { serveText } from './local-server.ts'
import { SVC_AUDIO } from './nodes.ts'
import type { N8nRest } from './rest.ts'

/** What the check of the credentials needs. */
export interface CredentialsOptions {
  readonly key: string
  /** Address of the service. */
  readonly service: string
  /** Id of a credential for it. */
  readonly credential: string
}

interface Verdict {
  readonly status: string
  readonly message: string
}

interface Page {
  readonly results: readonly { readonly value: string }[]
  readonly paginationToken?: string
}

/** The test of the credentials agrees with runs, and the list of voices has every page. */
export async function checkCredentials(rest: N8nRest, options: CredentialsOptions): Promise<string[]> {
  const { key, service, credential } = options
  const verdict = (apiKey: string, baseUrl: string): Promise<Verdict> => {
    const credentials = { id: credential, name: 'Svc Audio API', type: 'svcAudioApi', data: { apiKey, baseUrl } }
    return rest.send<Verdict>('POST', '/rest/credentials/test', { credentials })
  }
  const site = await serveText(() => ({ type: 'text/html', body: '<!doctype html><title>Welcome</title>' }))
  try {
    for (const [what, apiKey, baseUrl, status, start] of [
      ['the right key', key, service, 'OK', 'The service accepts the key.'],
      ['spaces', `${key} `, ` ${service}/v1/ `, 'OK', 'The service accepts the key.'],
      ['a wrong key', 'wrong-key', service, 'Error', 'API Key: the service does not accept it. Copy the key'],
      ['no service', key, 'http://127.0.0.1:1', 'Error', 'Base URL: no service runs at this address. Start the'],
      ['a site that answers 200 to anything', key, site.url, 'Error', 'The response is not from the audio service.'],
    ] as const) {
      const found = await verdict(apiKey, baseUrl)
      expect(found.status, status, what)
      if (!found.message.startsWith(start)) throw new Error(`n8n says of ${what}: ${found.message}`)
    }
  } finally {
    await site.close()
  }
  return ['credentials: the test passes and fails in the words of a run', await voicePages(rest)]
}

/** The pages of the picker, of a service with 250 voices. */
async function voicePages(rest: N8nRest): Promise<string> {
  const voice = (index: number): object => ({
    id: `v${index}`,
    object: 'audio.voice',
    name: `Voice ${index}`,
    created_at: 0,
  })
  const service = await serveText((_body, url) => {
    const { searchParams } = new URL(url, 'http://service.test')
    const from = Number(searchParams.get('after') ?? 0)
    const to = Math.min(from + Number(searchParams.get('limit') ?? 20), 250)
    const data = Array.from({ length: to - from }, (_, index) => voice(from + index))
    const more = to < 250
    const page = { object: 'list', data, has_more: more, ...(more ? { next_cursor: String(to) } : {}) }
    return { type: 'application/json', body: JSON.stringify(page) }
  })
  try {
    const id = await rest.addCredential('Voices', 'svcAudioApi', { apiKey: 'any-key', baseUrl: service.url })
    for (const [resource, path] of [
      ['speech', 'parameters.voice'],
      ['dialogue', 'parameters.speakers.speaker[0].voiceId'],
    ]) {
      const ask = (more: object): Promise<Page> =>
        rest.send<Page>('POST', '/rest/dynamic-node-parameters/resource-locator-results', {
          path,
          methodName: 'searchVoices',
          nodeTypeAndVersion: { name: SVC_AUDIO, version: 1 },
          currentNodeParameters: { resource, operation: 'create' },
          credentials: { svcAudioApi: { id, name: 'Voices' } },
          ...more,
        })
      const first = await ask({})
      const second = await ask({ paginationToken: first.paginationToken })
      expect(first.results.length + second.results.length, 250, `voices of ${resource} on two pages`)
      expect((await ask({ filter: 'voice 24' })).results.length, 11, `voices of ${resource} that a filter finds`)
    }
    return 'picker: 250 voices of speech and dialogue on two pages, and a filter finds 11 of all'
  } finally {
    await service.close()
  }
}

function expect(actual: unknown, expected: unknown, what: string): void {
  if (actual !== expected) throw new Error(`Expected ${String(expected)} with ${what}, got ${String(actual)}`)
}
