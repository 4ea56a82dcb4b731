/**
 * Hides one warning: Node 22 and 24 report at the first import of `node:sqlite` that it is experimental. The program is
 * tested with the Node versions in `engines`, and its user cannot act on the warning. Every other warning is printed.
 * Other listeners of the process still receive this one. A program that imports the service as a library keeps the
 * warning.
 */
export function hideSqliteWarning(): void {
  // Only Node's printing listeners exist this early.
  const printers = process.listeners('warning')
  process.removeAllListeners('warning')
  process.on('warning', (warning) => {
    if (warning.name === 'ExperimentalWarning' && warning.message.startsWith('SQLite ')) return
    for (const print of printers) print(warning)
  })
}
