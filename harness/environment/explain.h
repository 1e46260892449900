#pragma once
#include "environment/builder.h"
#include "environment/index.h"
#include "environment/pip_log.h"

namespace mpsgate {

/// What a failed download or install means: whom or what it speaks against. Asks the index where pip's log is
/// not enough.
Finding explain_failure(const PipFailure& failure, const ProcessResult& process, const BuildPlan& plan,
                        const PackageIndex& index);

/// Whether the index knows the pinned release of the package and offers it to no Mac with this Python: then
/// no other index need be asked.
bool release_without_mac(const PipFailure& failure, const BuildPlan& plan, const PackageIndex& index);

/// What a Mac would lack of the lab's own exact pins, told from the files that the index offers. `packages`
/// are those installed here: what came as a wheel for any platform needs no question.
std::vector<Finding> predict_mac(const BuildPlan& plan, const std::vector<Package>& packages,
                                 const PackageIndex& index);

/// Whether a marker names Linux, another processor or CUDA's platforms, so that a Mac never sees the
/// requirement.
bool excludes_mac(const std::string& marker);

}  // namespace mpsgate
