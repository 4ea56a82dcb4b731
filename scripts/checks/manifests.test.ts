import { describe, expect, test } from 'vitest'
import { completeManifest } from './manifests.ts'

const ROOT = {
  name: 'root',
  license: 'MIT',
  author: { name: 'The authors', email: 'a@b.example' },
  bugs: { url: 'https://host.example/a/b/issues' },
  repository: { type: 'git', url: 'git+https://host.example/a/b.git' },
  engines: { node: '>=22.19.0' },
}

describe('completeManifest', () => {
  test('repository, homepage, bugs, author and Node version come from the root', () => {
    const complete = completeManifest({ name: '@a/core', license: 'MIT' }, ROOT, 'packages/core')
    expect(complete).toEqual({
      name: '@a/core',
      license: 'MIT',
      homepage: 'https://host.example/a/b/tree/main/packages/core#readme',
      bugs: ROOT.bugs,
      author: ROOT.author,
      repository: { ...ROOT.repository, directory: 'packages/core' },
      engines: ROOT.engines,
    })
  })

  test('a complete manifest does not change by a byte', () => {
    const once = completeManifest({ name: '@a/core', license: 'MIT' }, ROOT, 'packages/core')
    expect(JSON.stringify(completeManifest(once, ROOT, 'packages/core'))).toBe(JSON.stringify(once))
  })

  test('a package for n8n names no Node version', () => {
    expect(completeManifest({ name: 'n8n-nodes-a', license: 'MIT' }, ROOT, 'packages/n8n')).not.toHaveProperty(
      'engines',
    )
  })

  test('a root without a repository is refused', () => {
    expect(() => completeManifest({ name: '@a/core' }, { name: 'root' }, 'packages/core')).toThrow('needs repository')
  })
})
