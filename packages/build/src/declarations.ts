import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Plugin } from 'rolldown'

/**
 * Copies the declarations of `tsc`. The nearest `package.json` decides the module format of a declaration.
 *
 * @param from Folder of the declarations.
 * @param to Folder of the CommonJS build, inside `from`.
 */
export function declarations(from: string, to: string): Plugin {
  return {
    name: 'declarations',
    writeBundle() {
      const nested = `${to.slice(from.length + 1)}/**`
      for (const path of globSync('**/*.d.ts', { cwd: from, exclude: [nested] })) {
        const target = join(to, path)
        mkdirSync(dirname(target), { recursive: true })
        // Remove the source maps: their relative paths are wrong one folder deeper.
        writeFileSync(target, readFileSync(join(from, path), 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, ''))
      }
      writeFileSync(join(to, 'package.json'), '{ "type": "commonjs" }\n')
    },
  }
}
