"""UCI Communities and Crime (1990 census, 1995 FBI); label: a high rate of violent crime.

The data set has the 1,994 communities of jagielski2019, prepared as in GerryFair (Kearns et al.
2018), which the paper names. There are 122 predictors, which the donor scaled to [0, 1]; a missing
value is 0, and no row is dropped. The label is 1 if the crime rate is above its 70th percentile.
The group is given by the share of black residents, above or below its median, as in the authors'
code for post-processing; this share is not a feature. With `group_above` "mean" the threshold is
the mean, as in the authors' script for in-processing. All three thresholds are computed from the
published file, which is public.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pandas as pd

from dpfair_cli.contracts.declarations import DataSource, File
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.contracts.schemas import Numeric, Schema
from dpfair_cli.datasets._published_tables import table_replica
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.tabular.encoding import Encoding, encode

UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases/communities"
COPY = (
    "https://raw.githubusercontent.com/matroka/FinalProject/"
    "d40633d357f247ab6398c10c9c45197ea5446a9e"
)
FILES = (
    File(
        path="communities/communities.data",
        licence="CC BY 4.0",
        sha256="09e0b5c07eae24c1efab19b2edee05e160e7f5743b6f31e31eec3d73624da2ea",
        size=1_102_815,
        urls=(f"{UCI}/communities.data", f"{COPY}/communities.data"),
    ),
)

IDENTIFIERS = "state county community communityname fold"  # these columns are not predictors
PREDICTORS = (
    "population householdsize racepctblack racePctWhite racePctAsian racePctHisp agePct12t21 "
    "agePct12t29 agePct16t24 agePct65up numbUrban pctUrban medIncome pctWWage pctWFarmSelf "
    "pctWInvInc pctWSocSec pctWPubAsst pctWRetire medFamInc perCapInc whitePerCap blackPerCap "
    "indianPerCap AsianPerCap OtherPerCap HispPerCap NumUnderPov PctPopUnderPov PctLess9thGrade "
    "PctNotHSGrad PctBSorMore PctUnemployed PctEmploy PctEmplManu PctEmplProfServ PctOccupManu "
    "PctOccupMgmtProf MalePctDivorce MalePctNevMarr FemalePctDiv TotalPctDiv PersPerFam "
    "PctFam2Par PctKids2Par PctYoungKids2Par PctTeen2Par PctWorkMomYoungKids PctWorkMom NumIlleg "
    "PctIlleg NumImmig PctImmigRecent PctImmigRec5 PctImmigRec8 PctImmigRec10 PctRecentImmig "
    "PctRecImmig5 PctRecImmig8 PctRecImmig10 PctSpeakEnglOnly PctNotSpeakEnglWell PctLargHouseFam "
    "PctLargHouseOccup PersPerOccupHous PersPerOwnOccHous PersPerRentOccHous PctPersOwnOccup "
    "PctPersDenseHous PctHousLess3BR MedNumBR HousVacant PctHousOccup PctHousOwnOcc "
    "PctVacantBoarded PctVacMore6Mos MedYrHousBuilt PctHousNoPhone PctWOFullPlumb OwnOccLowQuart "
    "OwnOccMedVal OwnOccHiQuart RentLowQ RentMedian RentHighQ MedRent MedRentPctHousInc "
    "MedOwnCostPctInc MedOwnCostPctIncNoMtg NumInShelters NumStreet PctForeignBorn "
    "PctBornSameState PctSameHouse85 PctSameCity85 PctSameState85 LemasSwornFT LemasSwFTPerPop "
    "LemasSwFTFieldOps LemasSwFTFieldPerPop LemasTotalReq LemasTotReqPerPop PolicReqPerOffic "
    "PolicPerPop RacialMatchCommPol PctPolicWhite PctPolicBlack PctPolicHisp PctPolicAsian "
    "PctPolicMinor OfficAssgnDrugUnits NumKindsDrugsSeiz PolicAveOTWorked LandArea PopDens "
    "PctUsePubTrans PolicCars PolicOperBudg LemasPctPolicOnPatr LemasGangUnitDeploy "
    "LemasPctOfficDrugUn PolicBudgPerPop"
)
CRIME, BLACK = "ViolentCrimesPerPop", "racepctblack"
HIGH_CRIME = 0.28  # the 70th percentile of CRIME; the 25 communities with this value have label 0
GroupAbove = Literal["median", "mean"]
THRESHOLDS: dict[GroupAbove, float] = {"median": 0.06, "mean": 0.179629}  # of BLACK

DOMAIN = Schema(
    # scaled by the donor
    attributes={name: Numeric(0, 1) for name in PREDICTORS.split() if name != BLACK},
    label="high_crime",
    positive="1",
    protected="group",
    groups=("fewer black residents", "more black residents"),
)


def read(folder: Path, *, group_above: GroupAbove = "median") -> pd.DataFrame:
    """The table of Communities and Crime, (1994 rows, 121 predictors + group + high_crime).

    The file is below `folder`. `group_above` names the threshold that divides the communities into
    two groups.
    """
    # the file has no heading
    names = [*IDENTIFIERS.split(), *PREDICTORS.split(), CRIME]
    # as in GerryFair
    frame = pd.read_csv(folder / FILES[0].path, names=names, na_values="?").fillna(0)
    fewer, more = DOMAIN.groups
    # the share decides the group and is not a feature
    group = (frame[BLACK] > THRESHOLDS[group_above]).map({False: fewer, True: more})
    high_crime = (frame[CRIME] > HIGH_CRIME).map({False: "0", True: "1"})
    features = frame[[*DOMAIN.attributes]]
    return pd.concat(
        [features, group.rename(DOMAIN.protected), high_crime.rename(DOMAIN.label)], axis=1
    )


@checked
def load(
    folder: Path, *, encoding: Encoding = "one_hot", group_above: GroupAbove = "median"
) -> Records:
    """The Records of Communities and Crime; only the encoding "binned" changes their columns.

    The file is below `folder`. `group_above` names the threshold that divides the communities into
    two groups.
    """
    return encode(read(folder, group_above=group_above), DOMAIN, encoding=encoding)


DATASET = DataSource(
    load=load,
    note="UCI Communities and Crime, 1,994 communities, high rate of violent crime; CC BY 4.0",
    files=FILES,
    expected={"rows": 1_994, "columns": 121, "groups": (1_024, 970), "base_rate": 0.2924},
    expected_by_option={
        ("group_above", "mean"): {"groups": (1_404, 590)},
        ("encoding", "binned"): {"columns": 484},
    },
    replica=table_replica("communities", DOMAIN),
)
