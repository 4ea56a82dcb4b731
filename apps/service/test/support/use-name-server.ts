/* Loaded before a program (`--import`): its resolvers ask the server that NAME_SERVER names, not those of the machine. */
import promises from 'node:dns/promises'
import { syncBuiltinESMExports } from 'node:module'

const server = process.env['NAME_SERVER'] ?? ''

promises.Resolver = class extends promises.Resolver {
  constructor(...options: ConstructorParameters<typeof promises.Resolver>) {
    super(...options)
    this.setServers([server])
  }
}
syncBuiltinESMExports()
