/**
 * Keeps one line from the person who starts this program: Node 22 and 24 say at the first import of `node:sqlite` that it
 * is experimental. The versions that this program is tested with are chosen for it (`engines`), and nobody who starts it
 * can do anything about that. Only the line is held back: every other warning is printed as before, and anyone who else
 * listens to warnings of this process hears this one too. A program that imports the service as a library decides itself.
 */
export function hideSqliteWarning(): void {
  // Those of Node itself, which print: nobody else has had time to come.
  const printers = process.listeners('warning')
  process.removeAllListeners('warning')
  process.on('warning', (warning) => {
    if (warning.name === 'ExperimentalWarning' && warning.message.startsWith('SQLite ')) return
    for (const print of printers) print(warning)
  })
}
