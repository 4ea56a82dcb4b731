import { expect, test } from 'vitest'
import { moduleId, parseModuleId } from './module-id.ts'

test.each([
  ['/site/post.md', 'narrate'],
  ['/site/a b/ü%2E:x?.md', 'voice=slt&narrate'],
  ['C:/site/post.txt', 'narrate='],
])('the id of %s with ?%s names both, and ends in no extension', (file, query) => {
  const id = moduleId(file, query)
  expect(parseModuleId(id)).toEqual({ file, query })
  expect(id).not.toMatch(/\.|\?/)
})

test('other ids are left alone', () => {
  expect(parseModuleId('/site/post.md?narrate')).toBeUndefined()
})
