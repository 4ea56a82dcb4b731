import { expect, test } from 'vitest'
import { hasInstallNote, withInstallNote, withoutInstallNotes } from './install-notes.ts'

const README = '# x\n\nWhat it is.\n\n```sh\nnpm install x\n```\n\n## Quick start\n'

test('the note stands behind the command that installs', () => {
  const noted = withInstallNote(README, 'x', false)
  expect(noted).toMatch(
    /npm install x\n```\n\n<!-- unpublished -->\n\n> .*pack:all x`.*\n\n<!-- \/unpublished -->\n\n## Quick/,
  )
})

test('the note of a README without such a command stands behind the first paragraph', () => {
  const noted = withInstallNote('# x\n\nWhat it is.\n\n1. Open it.\n', 'x', false)
  expect(noted).toMatch(/^# x\n\nWhat it is.\n\n<!-- unpublished -->[\s\S]+<!-- \/unpublished -->\n\n1. Open it.\n$/)
})

test('a note is put in once', () => {
  const noted = withInstallNote(README, 'x', false)
  expect(withInstallNote(noted, 'x', false)).toBe(noted)
})

test('a release removes the note', () => {
  expect(withInstallNote(withInstallNote(README, 'x', false), 'x', true)).toBe(README)
})

test('the release removes each note of a page that writes its own', () => {
  const page =
    'a\n\n<!-- unpublished -->\n\nb\n\n<!-- /unpublished -->\n\nc\n\n<!-- unpublished -->\n\nd\n\n<!-- /unpublished -->\n\ne\n'
  expect(hasInstallNote(page)).toBe(true)
  expect(withoutInstallNotes(page)).toBe('a\n\nc\n\ne\n')
  expect(hasInstallNote('a\n')).toBe(false)
})
