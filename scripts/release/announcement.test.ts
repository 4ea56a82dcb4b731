import { expect, test } from 'vitest'
import { billOf, notesOf, releasesOf, startOf } from './announcement.ts'

test('a tag of a name and a version is a release; another tag is none', () => {
  const tags = ['', 'v1', '@svc-audio/core@0.1.0', 'n8n-nodes-svc-audio@1.2.3-beta.1', 'core@next']
  expect(releasesOf(tags)).toEqual([
    { tag: '@svc-audio/core@0.1.0', name: '@svc-audio/core', version: '0.1.0' },
    { tag: 'n8n-nodes-svc-audio@1.2.3-beta.1', name: 'n8n-nodes-svc-audio', version: '1.2.3-beta.1' },
  ])
})

test('the bill of a package is the file that sbom:all writes', () => {
  expect([billOf('@svc-audio/ai-sdk'), billOf('n8n-nodes-svc-audio')]).toEqual([
    'svc-audio-ai-sdk.json',
    'n8n-nodes-svc-audio.json',
  ])
})

const CHANGELOG =
  '# @svc-audio/core\n\n## 0.2.0\n\n### Minor Changes\n\n- New.\n\n## 0.1.0\n\n### Minor Changes\n\n- First.\n'
const [NEW, FIRST, GONE] = releasesOf(['@svc-audio/core@0.2.0', '@svc-audio/core@0.1.0', '@svc-audio/core@0.3.0'])

test('the notes of a release are the section of its version', () => {
  expect([NEW, FIRST].map((one) => one && notesOf(CHANGELOG, one))).toEqual([
    '### Minor Changes\n\n- New.',
    '### Minor Changes\n\n- First.',
  ])
})

test('a version that the changelog does not have is an error that names the remedy', () => {
  expect(() => GONE && notesOf(CHANGELOG, GONE)).toThrow(
    'The changelog of @svc-audio/core@0.3.0 says nothing of 0.3.0. Run changeset version',
  )
})

test('the releases of the service and of the n8n package start their workflows from the tag', () => {
  const tags = ['@svc-audio/core@0.1.0', '@svc-audio/service@0.1.0', 'n8n-nodes-svc-audio@0.1.0']
  expect(releasesOf(tags).map(startOf)).toEqual([
    undefined,
    ['workflow', 'run', 'image.yml', '--ref', '@svc-audio/service@0.1.0'],
    ['workflow', 'run', 'publish.yml', '--ref', 'n8n-nodes-svc-audio@0.1.0'],
  ])
})
