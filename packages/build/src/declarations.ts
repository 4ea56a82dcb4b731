import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Plugin } from 'rolldown'

/**
 * Copies the declarations that `tsc` has written. A declaration belongs to one module format, and the nearest
 * `package.json` decides which one.
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
        // The maps lead to the sources by relative paths, which do not hold one folder deeper.
        writeFileSync(target, readFileSync(join(from, path), 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, ''))
      }
      writeFileSync(join(to, 'package.json'), '{ "type": "commonjs" }\n')
    },
  }
}
