import { expect, test } from 'vitest'
import { SpeechToolError } from '../errors/speech-tool-error.ts'
import { resolveOptions } from '../options/resolve-options.ts'
import type { SpeechToolsOptions } from '../options/speech-tools-options.ts'
import { scopeOf, type ToolCallContext } from '../run/run-context.ts'
import { memoryAudioStore } from '../store/memory-audio-store.ts'
import { checkAllowedUrl, checkSourceUrl } from './url-policy.ts'

const client = { speech: {}, transcriptions: {}, dialogue: {}, tasks: {} }

/** The normal form of an allowed URL, or the code of the refusal. */
async function outcome(
  url: string,
  options: Pick<SpeechToolsOptions, 'allowUrls' | 'urlHosts' | 'forRun'>,
  context: ToolCallContext = {},
): Promise<string> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no test of URLs calls the client
  const given = { client, voice_id: 'rms', store: memoryAudioStore(), ...options } as unknown as SpeechToolsOptions
  try {
    return await checkAllowedUrl(url, scopeOf('transcribe', resolveOptions(given, { userTexts: true }), context))
  } catch (error) {
    return SpeechToolError.isInstance(error) ? error.code : String(error)
  }
}

const TALK = 'https://example.com/talk.wav'

test.each([
  ['every public URL is allowed by default', TALK, {}, TALK],
  ['no URL is allowed with false', TALK, { allowUrls: false }, 'invalid_url'],
  [
    'a private address is refused whatever the hosts',
    'https://127.0.0.1/a',
    { urlHosts: ['127.0.0.1'] },
    'private_url',
  ],
  ['a listed host is allowed, in any case', 'https://EXAMPLE.com/talk.wav', { urlHosts: ['Example.com'] }, TALK],
  [
    'a host below the listed one is another',
    'https://a.example.com/',
    { urlHosts: ['example.com'] },
    'url_not_allowed',
  ],
  [
    'a star allows the hosts below',
    'https://a.example.com/',
    { urlHosts: ['*.example.com'] },
    'https://a.example.com/',
  ],
  ['a star allows not the host itself', TALK, { urlHosts: ['*.example.com'] }, 'url_not_allowed'],
  [
    'a host that only ends alike is another',
    'https://badexample.com/',
    { urlHosts: ['*.example.com'] },
    'url_not_allowed',
  ],
])('%s', async (_, url, options, expected) => {
  expect(await outcome(url, options)).toBe(expected)
})

test.each([
  ['as the user wrote it', `Please transcribe ${TALK}`, TALK],
  ['at the end of a sentence', `It is at ${TALK}.`, TALK],
  ['in a Markdown link', `See [this](${TALK}), please`, TALK],
  ['in another spelling of the same address', 'HTTPS://EXAMPLE.COM:443/x/../talk.wav', TALK],
  ['with a query that the user did not write', `It is at ${TALK}`, 'url_not_allowed', `${TALK}?secret=1`],
  ['that only begins as the user wrote', `${TALK}x`, 'url_not_allowed'],
  ['of which the user wrote nothing', 'Transcribe the talk', 'url_not_allowed'],
])('of the addresses of the user, one %s', async (_, text, expected, url = TALK) => {
  expect(await outcome(url, { allowUrls: 'from-user' }, { userTexts: () => ['Hello', text] })).toBe(expected)
})

test('without the texts of the user, no URL is theirs', async () => {
  expect(await outcome(TALK, { allowUrls: 'from-user' })).toBe('url_not_allowed')
})

test('a policy decides with the URL, the context and the user of the run', async () => {
  const seen: unknown[] = []
  const options = {
    forRun: () => ({ user: 'ann' }),
    allowUrls: async (url: URL, call: object) => {
      seen.push([url.href, call])
      return url.pathname !== '/secret.wav'
    },
  }
  expect(await outcome(TALK, options, { context: { trace: 1 } })).toBe(TALK)
  expect(await outcome('https://example.com/secret.wav', options)).toBe('url_not_allowed')
  expect(seen[0]).toEqual([TALK, { context: { trace: 1 }, user: 'ann' }])
})

test.each([
  ['allowUrls', { allowUrls: 'some' }, "`allowUrls` must be true, false, 'from-user' or a function"],
  ['urlHosts', { urlHosts: [] }, '`urlHosts` must be a non-empty array of hosts'],
  ['urlHosts[1]', { urlHosts: ['a.com', 'https://b.com'] }, '`urlHosts[1]` must be a host such as example.com'],
  ['urlHosts[0]', { urlHosts: ['b.com/x'] }, '`urlHosts[0]` must be a host'],
])('a wrong %s is refused by its name', async (_, options, message) => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- wrong on purpose
  expect(await outcome(TALK, options as never)).toContain(message)
})

test('an adapter that does not know the messages refuses from-user', () => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no test of options calls the client
  const options = { client, voice_id: 'rms', store: memoryAudioStore(), allowUrls: 'from-user' } as never
  expect(() => resolveOptions(options)).toThrow("`allowUrls` 'from-user' needs the messages of the user")
})

function refusal(url: string): unknown {
  try {
    checkSourceUrl(url)
  } catch (error) {
    return error
  }
  throw new Error(`${url} was accepted`)
}

test('a public https URL is taken in its normal form', () => {
  expect(checkSourceUrl('https://Example.com:443/a/../talk.wav?x=1')).toBe('https://example.com/talk.wav?x=1')
})

test.each([
  'https://localhost/a.wav',
  'https://127.0.0.1/a.wav',
  'https://2130706433/a.wav',
  'https://0177.0.0.1/a.wav',
  'https://0x7f000001/a.wav',
  'https://[::1]/a.wav',
  'https://[::ffff:127.0.0.1]/a.wav',
  'https://169.254.169.254/latest/meta-data',
  'https://192.168.1.1/a.wav',
  'https://metadata.google.internal/',
  'http://10.0.0.1/a.wav',
])('%s is private_url', (url) => {
  expect(refusal(url)).toMatchObject({ code: 'private_url', retryable: false })
})

test.each([
  'http://example.com/a.wav',
  'file:///etc/passwd',
  'ftp://example.com/a.wav',
  'data:audio/wav;base64,UklGRg==',
  'blob:https://example.com/1',
  'javascript:alert(1)',
  'https://user:hunter2@example.com/a.wav',
  'https://',
])('%s is invalid_url', (url) => {
  expect(refusal(url)).toMatchObject({ code: 'invalid_url', retryable: false })
})

test('no message repeats the URL', () => {
  expect((refusal('https://user:hunter2@example.com/a.wav') as Error).message).not.toMatch(/hunter2|example/)
  expect((refusal('https://10.11.12.13/a.wav') as Error).message).not.toContain('10.11')
})
