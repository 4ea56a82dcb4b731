import { DefaultReporter, type TestCase, type TestModule } from 'vitest/node'

/** Prints failures and a summary. A terminal also shows the tests that run. */
export default class FailuresReporter extends DefaultReporter {
  protected override printTestModule(testModule: TestModule): void {
    if (testModule.state() === 'failed') super.printTestModule(testModule)
  }

  protected override printTestCase(moduleState: ReturnType<TestModule['state']>, test: TestCase): void {
    if (test.result().state === 'failed') super.printTestCase(moduleState, test)
  }
}
