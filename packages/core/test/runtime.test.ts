import { afterEach, describe, expect, test, vi } from 'vitest'
import { AudioClient, ConfigurationError, nodeTransport } from '../src/index.ts'

const OPTIONS = { apiKey: 'k', baseUrl: 'http://127.0.0.1:9' }

afterEach(() => vi.unstubAllGlobals())

describe('on Bun', () => {
  test('nodeTransport throws and names the remedy', () => {
    vi.stubGlobal('Bun', { version: '1.3.0' })
    expect(() => nodeTransport()).toThrow(ConfigurationError)
    expect(() => nodeTransport()).toThrow(/leave transport out, or pass fetchTransport\(\)/)
  })
})

test.each(['Bun', 'Deno'])('on %s AudioClient sends over fetch', async (runtime) => {
  vi.stubGlobal(runtime, { version: '2.0.0' })
  vi.stubGlobal('fetch', async () => Response.json({ object: 'list', data: [] }))
  expect(await new AudioClient(OPTIONS).models.list()).toEqual({ object: 'list', data: [] })
})

describe('Node', () => {
  test.each(['22.18.0', '20.20.2', '18.0.0'])('%s throws one line with both versions', (node) => {
    vi.stubGlobal('process', { ...process, versions: { ...process.versions, node } })
    expect(() => new AudioClient(OPTIONS)).toThrow(
      new ConfigurationError(`@svc-audio/core needs Node 22.19 or later, found ${node}: update Node`),
    )
  })

  test.each(['22.19.0', '24.0.0', '26.10.0', '30.0.0'])('%s is accepted', (node) => {
    vi.stubGlobal('process', { ...process, versions: { ...process.versions, node } })
    expect(new AudioClient(OPTIONS)).toHaveProperty('speech')
  })
})
