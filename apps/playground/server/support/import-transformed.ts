import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'

/**
 * Imports a module through Vite, for decorators and parameter properties, which Node does not run. Node loads the
 * module's own imports.
 *
 * @param url Address of the file.
 */
export async function importTransformed<T>(url: URL): Promise<T> {
  const { module } = await runnerImport<T>(fileURLToPath(url), {
    configFile: false,
    envDir: false,
    logLevel: 'error',
    oxc: { decorator: { legacy: true } },
  })
  return module
}
