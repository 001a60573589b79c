import Foundation
import StrataCommandSupport
import StrataTool

Interruption.handleSignals()
Interruption.exit(CommandLineTool.run(Array(CommandLine.arguments.dropFirst())))
