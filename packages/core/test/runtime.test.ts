import { afterEach, describe, expect, test, vi } from 'vitest'
import { AudioClient, ConfigurationError, nodeTransport } from '../src/index.ts'
import { createFetchClient } from '../src/fetch/index.ts'

const OPTIONS = { apiKey: 'k', baseUrl: 'http://127.0.0.1:9' }

afterEach(() => vi.unstubAllGlobals())

describe('on Bun', () => {
  test('AudioClient and nodeTransport throw and name the entry to use', () => {
    vi.stubGlobal('Bun', { version: '1.3.0' })
    for (const make of [() => new AudioClient(OPTIONS), () => nodeTransport()]) {
      expect(make).toThrow(ConfigurationError)
      expect(make).toThrow(/createFetchClient\(\) of '@svc-audio\/core\/fetch'/)
    }
  })

  test('createFetchClient works', () => {
    vi.stubGlobal('Bun', { version: '1.3.0' })
    expect(createFetchClient(OPTIONS)).toHaveProperty('speech')
  })
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
