import Foundation
import StrataTool

exit(CommandLineTool.run(Array(CommandLine.arguments.dropFirst())))
