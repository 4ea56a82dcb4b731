import { describe, expect, test } from 'vitest'
import { findClaims, findUnproved, linkClaims } from './claims.ts'

const PAGE =
  '# Never\n\nThe key never leaves. It is `never` read.\n\n- Every call ends.\n\n| a | every response has an id |\n'
const CLAIMS = ['The key never leaves.', 'Every call ends.', 'every response has an id']

test('sentences, items and cells that promise something of everything are claims', () => {
  expect(findClaims(PAGE)).toEqual(CLAIMS)
})

test.each([
  'The lease is renewed every 10 s.',
  'One process cleans up every ten minutes.',
  '[Every option](options.md)',
  'Set **Wait in the Background** to **Always** for a long one.',
  'The service decides.',
])('"%s" is no claim', (sentence) => {
  expect(findClaims(sentence)).toEqual([])
})

describe('a page', () => {
  const has = (path: string, text: string): boolean | undefined =>
    path === 'a.test.ts' ? ['', 'the key stays'].includes(text) : undefined
  const check = (markdown: string, claims: Parameters<typeof findUnproved>[1]): readonly string[] =>
    findUnproved({ path: 'a.md', markdown }, claims, has)

  test('has a proof for each claim', () => {
    expect(check(PAGE, [])).toHaveLength(3)
    const proofs = CLAIMS.map((claim) => ({ claim, proof: 'a.test.ts' }))
    expect(check(PAGE, proofs)).toEqual([])
  })

  test('names a proof that is missing, and a claim that it does not make', () => {
    const page = 'The key never leaves.'
    const [claim = ''] = CLAIMS
    expect(check(page, [{ claim, proof: 'b.test.ts' }])).toEqual(['docs/claims.json: there is no b.test.ts'])
    expect(check(page, [{ claim, proof: 'a.test.ts', test: 'gone' }])).toEqual([
      'docs/claims.json: a.test.ts has no test "gone"',
    ])
    expect(check('The key leaves.', [{ claim, proof: 'a.test.ts', test: 'the key stays' }])).toEqual([
      'a.md does not say "The key never leaves.": remove it from docs/claims.json',
    ])
  })
})

test('a claim gets a link to its test behind it, which no narration speaks', () => {
  const claims = [{ claim: 'Every call ends.', proof: 'a.test.ts', test: 'a "call" ends' }]
  expect(linkClaims('Every call ends. So it is.', claims, 'https://host/repo')).toBe(
    'Every call ends. <sup class="skip-speech"><a href="https://host/repo/blob/main/a.test.ts" title="a &quot;call&quot; ends">test</a></sup> So it is.',
  )
})
