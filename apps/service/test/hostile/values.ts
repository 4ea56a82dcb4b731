import * as fc from 'fast-check'

/** Tricky texts. */
const TEXTS = [
  '',
  ' ',
  '\u0000',
  '\uD800',
  '\uFEFF',
  '\u202Egnp.exe',
  '🜁'.repeat(50),
  'e\u0301'.repeat(100),
  'null',
  'true',
  '-0',
  '1e999',
  '../../../../etc/passwd',
  '..\\..\\boot.ini',
  '%2e%2e%2f',
  "' OR 1=1 --",
  '${jndi:ldap://localhost}',
  '<script>',
  'a\r\nX-Injected: 1',
  '[pause 99.9s]',
  '[pause 0.1s][pause -1s][pause s]',
  '[pause '.repeat(2000),
  'http://127.0.0.1:1/',
  'https://[::1]/',
  'https://169.254.169.254/latest',
  'file:///etc/passwd',
  'svc-tts-1.5-flash',
  'svc-transcribe-1.0',
  '__proto__',
  'constructor',
] as const

const NUMBERS = [0, -0, -1, 0.1, 1e-320, 2 ** 31, 2 ** 53, 1e308, -1e308] as const

/** A value of any type, also unexpected ones. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom<string>(...TEXTS) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  { weight: 3, arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, [[]], ...NUMBERS) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom(1000, 200_000).map((length) => 'x'.repeat(length)) },
  { weight: 1, arbitrary: fc.constant(Array.from({ length: 3000 }, () => 'x')) },
  { weight: 1, arbitrary: fc.constantFrom(50, 2000).map(nested) },
)

/** A name of no field, or of an object's own members. */
export const hostileName: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'length',
    '',
    'file_id',
    'voice_url',
    'sample_rate',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
)

/** Speakable text, in several scripts. */
export const speakable: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('Hello.', 'Good morning to you. And a good night.', 'Über 1.000 €, “quoted”.', 'Hello 日本語.', 'a'),
  fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => `So ${text.replaceAll('[', '(')}`),
)

function nested(depth: number): unknown {
  let value: unknown = 'x'
  for (let level = 0; level < depth; level += 1) value = [value]
  return value
}
