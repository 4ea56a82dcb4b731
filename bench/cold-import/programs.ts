/** Minimal programs, each run in a fresh process. They read the service's address from `ORIGIN`. */
export const PROGRAMS = {
  nothing: '',
  'ours, import': `import { AudioClient } from '@svc-audio/core'`,
  'undici, import': `import { request } from 'undici'`,
  'openai, import': `import OpenAI from 'openai'`,
  'ours, request': `
    import { AudioClient } from '@svc-audio/core'
    const client = new AudioClient({ apiKey: 'bench', baseUrl: process.env.ORIGIN })
    const { data } = await client.models.list()
    if (data.length === 0) process.exitCode = 1`,
  'undici, request': `
    import { request } from 'undici'
    const headers = { accept: 'application/json', authorization: 'Bearer bench' }
    const { body } = await request(process.env.ORIGIN + '/v1/models', { headers })
    const { data } = await body.json()
    if (data.length === 0) process.exitCode = 1`,
  'openai, request': `
    import OpenAI from 'openai'
    const client = new OpenAI({ apiKey: 'bench', baseURL: process.env.ORIGIN + '/v1', maxRetries: 0 })
    const { data } = await client.models.list()
    if (data.length === 0) process.exitCode = 1`,
} as const satisfies Readonly<Record<string, string>>

/** Name of a program. */
export type ProgramName = keyof typeof PROGRAMS
